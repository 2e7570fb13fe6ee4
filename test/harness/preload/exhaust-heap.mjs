/** SIGUSR2 makes the process take more memory than its heap may have, and keep it. */
process.on("SIGUSR2", () => {
  const kept = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => ({ i })));
});
