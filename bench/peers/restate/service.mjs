import * as restate from "@restatedev/restate-sdk";

// The SDK takes it for granted; Node has it from 22 on.
Promise.withResolvers ??= () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

const steps = (count) => async (ctx) => {
  for (let n = 0; n < count; n += 1) await ctx.run("s", () => n);
  return { ok: true };
};

/** The same work as the bench's agents: it says one thing, and answers. `step` keeps what it says as a step. */
const agent = restate.service({
  name: "agent",
  handlers: {
    answer: async () => ({ ok: true, said: "hello" }),
    step: async (ctx) => ({ ok: true, said: await ctx.run("say", () => "hello") }),
    steps0: steps(0),
    steps400: steps(400),
  },
});
await restate.serve({ services: [agent], port: Number(process.argv[2]) });
