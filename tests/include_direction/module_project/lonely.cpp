#include "lonely.hpp"
