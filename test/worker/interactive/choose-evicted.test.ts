import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseEvicted } from "../../../worker/interactive/choose-evicted.ts";

const kept = (user_id: string, since: number | null) => ({ user_id, idleSince: () => since });

test("the user who has most gives way with what is idle for longest, however long others are idle", () => {
  const others = [kept("ada", 1), kept("bob", 2)];
  const greedy = [kept("eve", 50), kept("eve", 40), kept("eve", null)];
  expect(chooseEvicted([...others, ...greedy], "eve")).toBe(greedy[1]);
  expect(chooseEvicted([...others, ...greedy], "cy")).toBe(greedy[1]);
});

test("of equals the newcomer gives way, and what is at work never does", () => {
  const [ada, adas, eve] = [kept("ada", 1), kept("ada", 2), kept("eve", 9)];
  expect(chooseEvicted([ada, adas, eve], "eve")).toBe(eve);
  expect(chooseEvicted([kept("ada", null)], "eve")).toBeNull();
});

test("a user who stays within a fair share loses nothing to one who asks again and again", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(fc.boolean(), { maxLength: 100 }), (fair, asks) => {
      const room = 2 * fair;
      let clock = 0;
      let all = Array.from({ length: fair }, () => kept("ada", (clock += 1)));
      for (const isEve of asks) {
        const who = isEve ? "eve" : "mal";
        if (all.length >= room) {
          const gone = chooseEvicted(all, who);
          all = all.filter((process) => process !== gone);
        }
        all.push(kept(who, (clock += 1)));
      }
      // Three users share the room in the end.
      const adas = all.filter(({ user_id }) => user_id === "ada").length;
      expect(adas).toBeGreaterThanOrEqual(Math.min(fair, Math.floor(room / 3)));
    }),
  );
});
