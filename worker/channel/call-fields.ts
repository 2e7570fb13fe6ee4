import { z } from "zod";

/** The name of an output segment. */
export const segment = z.string().max(750);
/** What the branch has said since its last durable call: it is complete now. */
export const closes = z.array(segment).max(16);
const key = z.string().min(1).max(700);

/** What a durable call is known by. Lengths that the runtimes keep to: anybody else who writes such a frame breaks a rule of the channel. */
export const callFields = {
  key,
  name: z.string().min(1).max(256),
  branch: z.string().max(400),
  /** The call's number in its branch. */
  position: z.number().int().min(0).max(1_000_000),
  /** Some failed calls that its branch has heard of, in Python. */
  after: z.array(key).max(4).optional(),
};
type CallFields = z.infer<z.ZodObject<typeof callFields>>;

/** Returns what an entry says of the place of its call. */
export const placeOf = ({ key, name, branch, position, after }: CallFields): CallFields => ({
  ...{ key, name, branch, position },
  ...(after !== undefined && { after }),
});
export const callError = z.object({
  type: z.string().max(200),
  module: z.string().max(200),
  message: z.string().max(16_384),
});
