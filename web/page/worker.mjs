// Runs in a worker, behind the engine's script: holds one table in the memory of WebAssembly and asks the library about it.

const first_bytes = 1 << 18;  // enough to see the columns and how long a row is
const part_bytes = 1 << 24;   // copied at a time, so that a large file is never twice in the memory of the browser

let library;
let table = { name: "", pointer: 0, size: 0 };

function called(name, types, values) {
  const pointer = library.ccall(name, "number", types, values) >>> 0;
  if (pointer === 0) throw new Error("out of memory: the browser gives this page no more");
  const text = library.UTF8ToString(pointer);
  library._free(pointer);
  return JSON.parse(text);
}

function reserved(size) {
  const pointer = library._malloc(Math.max(size, 1)) >>> 0;
  if (pointer === 0) throw new Error("out of memory: the browser gives this page no more");
  return pointer;
}

function forget() {
  if (table.pointer) library._free(table.pointer);
  table = { name: "", pointer: 0, size: 0 };
}

async function bytes_of(blob, from, to) {
  return new Uint8Array(await blob.slice(from, to).arrayBuffer());
}

const tasks = {
  async start({ bytes }) {
    library = await starope_engine({ wasmBinary: bytes });
    return called("starope_offers", [], []);
  },

  // Says what the table will need, and takes it in if there is room.
  async open({ blob, name, request }) {
    forget();
    const begin = await bytes_of(blob, 0, first_bytes);
    const pointer = reserved(begin.length);
    library.HEAPU8.set(begin, pointer);
    const expected = called("starope_expectation", ["string", "number", "number", "number", "string"],
                            [name, pointer, begin.length, blob.size, request]);
    library._free(pointer);
    if (expected.error?.code === "memory") return expected;
    postMessage({ kind: "expected", memory: expected.memory });
    table = { name, pointer: reserved(blob.size), size: blob.size };
    for (let from = 0; from < blob.size; from += part_bytes)
      library.HEAPU8.set(await bytes_of(blob, from, from + part_bytes), table.pointer + from);
    return expected;
  },

  look({ request }) {
    return called("starope_look", ["string", "number", "number", "string"], [table.name, table.pointer, table.size, request]);
  },

  answer({ request }) {
    return called("starope_answer", ["string", "number", "number", "string"], [table.name, table.pointer, table.size, request]);
  },
};

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, result: await tasks[data.what](data) });
  } catch (error) {
    postMessage({ id: data.id, kind: "failed", message: String(error.message ?? error) });
  }
};
