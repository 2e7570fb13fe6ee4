/** SIGUSR2 shifts the clock of the process by CLOCK_JUMP_MS. The monotonic one goes on, as when a machine's clock is set. */
const RealDate = Date;
let shift = 0;
process.on("SIGUSR2", () => (shift += Number(process.env["CLOCK_JUMP_MS"])));

const now = () => RealDate.now() + shift;
globalThis.Date = new Proxy(RealDate, {
  construct: (date, given, made) => Reflect.construct(date, given.length === 0 ? [now()] : given, made),
  apply: () => new RealDate(now()).toString(),
  get: (date, name) => (name === "now" ? now : Reflect.get(date, name)),
});
