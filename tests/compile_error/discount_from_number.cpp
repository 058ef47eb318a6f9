// A number becomes a discount only where somebody writes so.
//
// GNU says: conversion from 'double' to non-scalar type 'const starope::Discount' requested
// Clang says: no viable conversion from 'double' to 'const starope::Discount'

#include "starope/types.hpp"

#ifdef WRONG
const starope::Discount discount = 0.9;
#else
const starope::Discount discount{0.9};
#endif
