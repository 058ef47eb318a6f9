// "2" could be a window or an off-by-one; Clip::last(2) cannot.
//
// GNU says: conversion from 'int' to non-scalar type 'const starope::Clip' requested
// Clang says: no viable conversion from 'int' to 'const starope::Clip'

#include "starope/types.hpp"

#ifdef WRONG
const starope::Clip clip = 2;
#else
const starope::Clip clip = starope::Clip::last(2);
#endif
