import type { Config } from "../../shared/platform/config/load-config.ts";
import { readSignedPath } from "../../shared/platform/secrets/signed-path.ts";
import type { Db } from "../../shared/store/client.ts";
import { type AskedQuestion, readQuestion } from "../../shared/store/runs/questions/read-question.ts";

type Deps = { db: Db; config: Pick<Config, "encryptionKeys"> };

/** Returns the question that a signed path names. Null: the path is not one of ours, or what it names was deleted or takes no page. */
export async function findQuestion({ db, config }: Deps, token: string): Promise<AskedQuestion | null> {
  const [run_id, interrupt_id] = readSignedPath(config.encryptionKeys, "answer", token) ?? [];
  if (run_id === undefined || interrupt_id === undefined) return null;
  const question = await readQuestion(db, run_id, interrupt_id);
  return question?.answer_page === "off" ? null : question;
}
