/** SIGUSR2 throws where nothing catches it: an exception and a rejection. SIGWINCH does so over and over. */
const { setImmediate: soon, setInterval: often } = globalThis;

const fail = () => {
  soon(() => {
    throw new TypeError("thrown where nothing catches it");
  });
  void Promise.reject(new TypeError("rejected where nothing catches it"));
};
process.on("SIGUSR2", fail);
process.on("SIGWINCH", () => often(fail, 5));
