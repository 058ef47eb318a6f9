#pragma once

// The command-line library is large: headers that only mention its pages do without it.
namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}
