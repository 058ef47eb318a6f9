// A seed in a signature is a seed at the call.
//
// GNU says: conversion from 'int' to non-scalar type 'const starope::Seed' requested
// Clang says: no viable conversion from 'int' to 'const starope::Seed'

#include "starope/types.hpp"

#ifdef WRONG
const starope::Seed seed = 7;
#else
const starope::Seed seed{7};
#endif
