// The worker that computes: questions go there, answers come back, and one that is stopped ends with the worker.

export class Stopped extends Error {}

export class Engine {
  // make_worker: () => Worker; bytes: () => Promise<ArrayBuffer> of the WebAssembly.
  constructor(make_worker, bytes) {
    this.make_worker = make_worker;
    this.bytes = bytes;
    this.worker = undefined;
    this.waiting = new Map();
    this.last = 0;
    this.on_progress = () => {};
    this.on_expected = () => {};  // what a table will take, before it is read
  }

  // Starts the worker if there is none; a worker that is new knows no table.
  async start() {
    if (this.worker) return this.ready;
    const worker = this.make_worker();
    this.worker = worker;
    worker.onmessage = ({ data }) => {
      if (data.kind === "progress") return this.on_progress(data);
      if (data.kind === "expected") return this.on_expected(data);
      const { answer, refuse } = this.waiting.get(data.id) ?? {};
      this.waiting.delete(data.id);
      if (data.kind === "failed") refuse?.(new Error(data.message));
      else answer?.(data.result);
    };
    worker.onerror = (event) => this.stop(new Error(event.message || "the worker of this page could not be started"));
    this.ready = this.bytes().then((bytes) => this.send("start", { bytes }, [bytes]));
    return this.ready;
  }

  send(what, message, transfer = []) {
    const id = ++this.last;
    return new Promise((answer, refuse) => {
      this.waiting.set(id, { answer, refuse });
      this.worker.postMessage({ id, what, ...message }, transfer);
    });
  }

  async ask(what, message = {}) {
    await this.start();
    return this.send(what, message);
  }

  // Ends whatever is going on.
  stop(why = new Stopped("stopped")) {
    this.worker?.terminate();
    this.worker = undefined;
    const left = [...this.waiting.values()];
    this.waiting.clear();
    for (const { refuse } of left) refuse(why);
  }
}
