/** A rule that a statement of a migration breaks while older processes serve requests. */
type Rule = { breaks: RegExp; unless?: RegExp; why: string };

const rules: Rule[] = [
  {
    breaks: /^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)/,
    why: "builds an index while nobody can write: CREATE INDEX CONCURRENTLY, alone in its file",
  },
  {
    breaks: /^DROP INDEX (?!CONCURRENTLY)/,
    why: "locks the table of the index: DROP INDEX CONCURRENTLY, alone in its file",
  },
  { breaks: /^REINDEX (?!.*CONCURRENTLY)/, why: "builds an index while nobody can write: REINDEX … CONCURRENTLY" },
  {
    breaks: /\bADD (COLUMN )?(?!CONSTRAINT)[^,]*\bNOT NULL\b/,
    unless: /\bDEFAULT\b/,
    why: "older processes insert rows without the column: give it a DEFAULT, or no NOT NULL",
  },
  {
    breaks:
      /\bADD (COLUMN )?[^,]*(\bDEFAULT \(?(gen_random_uuid|random|clock_timestamp|nextval)\b|\b(BIG|SMALL)?SERIAL\b|\bGENERATED\b)/,
    why: "rewrites the table: add the column without that default, and fill it in batches",
  },
  { breaks: /\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b/, why: "rewrites the table: add a column of the new type" },
  {
    breaks: /\bALTER (COLUMN )?\S+ SET NOT NULL\b/,
    why: "reads the whole table under a lock: add a CHECK … NOT VALID, and validate it",
  },
  {
    breaks: /\bADD (CONSTRAINT \S+ )?(FOREIGN KEY|CHECK)\b/,
    unless: /\bNOT VALID\b/,
    why: "reads the whole table under a lock: add it NOT VALID, and validate it in a later file",
  },
  {
    breaks: /\bADD (CONSTRAINT \S+ )?(UNIQUE|PRIMARY KEY|EXCLUDE)\b/,
    unless: /\bUSING INDEX\b/,
    why: "builds an index under a lock: build it CONCURRENTLY, and add the constraint USING INDEX",
  },
  {
    breaks: /^(UPDATE|DELETE FROM|TRUNCATE)\b/,
    why: "locks all rows that it changes until the end: change them in batches, by a job",
  },
  { breaks: /^(LOCK|CLUSTER|VACUUM)\b/, why: "locks a table for long" },
];

/** What the version before may still use. `-- contract: …` in the file says since when it doesn't. */
const removes = /\bDROP (TABLE|COLUMN|TYPE)\b|\bRENAME\b/;
const contract = /^-- contract: \S.{10,}$/m;

/** Returns why a migration must not be applied while older processes serve requests; nothing when it may. */
export function unsafeStatements(text: string): string[] {
  const statements = statementsOf(text);
  const made = new Set(statements.flatMap((each) => /^CREATE TABLE (?:IF NOT EXISTS )?(\S+)/.exec(each)?.[1] ?? []));
  const isOfNewTable = (statement: string): boolean => [...made].some((table) => touches(statement, table));
  const faults = statements
    .filter((statement) => !isOfNewTable(statement))
    .flatMap((statement) => [
      ...rules.flatMap(({ breaks, unless, why }) => (breaks.test(statement) && !unless?.test(statement) ? [why] : [])),
      ...(removes.test(statement) && !contract.test(text)
        ? ["the version before may use it: say in a line '-- contract: …' since when nothing does"]
        : []),
    ]);
  const isAlone = statements.length === 1 || !statements.some((statement) => /\bCONCURRENTLY\b/.test(statement));
  return isAlone
    ? faults
    : [...faults, "CONCURRENTLY needs a file of its own: its statement can't be in a transaction"];
}

const touches = (statement: string, table: string): boolean =>
  new RegExp(
    `^(ALTER TABLE (ONLY )?${table} |CREATE (UNIQUE )?INDEX .* ON ${table} ?\\(|(UPDATE|DELETE FROM) ${table}\\b)`,
  ).test(statement);

/** One line for each statement, without comments, quotes of names and the bodies of functions. */
const statementsOf = (text: string): string[] =>
  text
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\$\$.*?\$\$/gs, "BODY")
    .replaceAll('"', "")
    .split(";")
    .map((statement) =>
      statement
        .replaceAll(/\s+/g, " ")
        .replaceAll(/ ?\( ?/g, " (")
        .trim(),
    )
    .filter((statement) => statement !== "");
