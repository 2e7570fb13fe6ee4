import type { ReactElement } from "react";
import { JsonField } from "./json-field.tsx";
import type { FieldKind, Schema } from "./schema.ts";
import { useTypedText } from "./use-typed-text.ts";

type Props = {
  id: string;
  kind: FieldKind;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  /** Undefined: the value is left out. */
  onChange: (value: unknown) => void;
  isWrong: boolean;
  describedBy: string;
};

/** The control of one value. */
export function Control(props: Props): ReactElement {
  const Kind = controls[props.kind];
  return <Kind {...props} />;
}

const common = ({ id, isRequired, isWrong, describedBy }: Props): object => ({
  id,
  required: isRequired,
  "aria-invalid": isWrong,
  "aria-describedby": describedBy === "" ? undefined : describedBy,
});

/** An empty text that may be left out is left out. */
const textOf = (given: string, { isRequired }: Props): string | undefined =>
  given === "" && !isRequired ? undefined : given;

const Text = (props: Props): ReactElement => (
  <input
    {...common(props)}
    type="text"
    placeholder={typeof props.schema.examples?.[0] === "string" ? props.schema.examples[0] : undefined}
    value={typeof props.value === "string" ? props.value : ""}
    onChange={({ target }) => props.onChange(textOf(target.value, props))}
  />
);

const LongText = (props: Props): ReactElement => (
  <textarea
    {...common(props)}
    rows={5}
    value={typeof props.value === "string" ? props.value : ""}
    onChange={({ target }) => props.onChange(textOf(target.value, props))}
  />
);

const NumberField = (props: Props): ReactElement => (
  <input
    {...common(props)}
    type="number"
    step="any"
    min={props.schema.minimum}
    max={props.schema.maximum}
    value={typeof props.value === "number" ? props.value : ""}
    onChange={({ target }) => props.onChange(target.value === "" ? undefined : target.valueAsNumber)}
  />
);

function Choice(props: Props): ReactElement {
  const names = (props.schema.enum ?? []).map((one) => JSON.stringify(one));
  const chosen = JSON.stringify(props.value);
  return (
    <select
      {...common(props)}
      value={names.includes(chosen) ? chosen : ""}
      onChange={({ target }) => props.onChange(props.schema.enum?.[names.indexOf(target.value)])}
    >
      <option value="">choose</option>
      {names.map((name, at) => (
        <option key={name} value={name}>
          {String(props.schema.enum?.[at])}
        </option>
      ))}
    </select>
  );
}

const Switch = ({ id, describedBy, value, onChange }: Props): ReactElement => (
  <input
    id={id}
    type="checkbox"
    checked={value === true}
    aria-describedby={describedBy === "" ? undefined : describedBy}
    onChange={({ target }) => onChange(target.checked)}
  />
);

function List(props: Props): ReactElement {
  const { value, onChange, schema } = props;
  const read = schema.items?.type === "string" ? readLines : readNumbers;
  const { text, fault, change } = useTypedText({ value, onChange, show: showList, read });
  return (
    <>
      <textarea
        {...common({ ...props, isWrong: props.isWrong || fault !== null })}
        ref={(field) => field?.setCustomValidity(fault ?? "")}
        rows={3}
        placeholder="one a line"
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      {fault && (
        <p role="alert" className="bad">
          {fault}
        </p>
      )}
    </>
  );
}

const showList = (value: unknown): string => (Array.isArray(value) ? value.join("\n") : "");

/** The end of the last line begins no other one. */
function readLines(text: string): string[] | undefined {
  const lines = text.replace(/\n+$/, "").split("\n");
  return lines.join("") === "" ? undefined : lines;
}

const readNumbers = (text: string): number[] | undefined =>
  readLines(text)
    ?.filter((line) => line.trim() !== "")
    .map(readNumber);

function readNumber(line: string): number {
  const number = Number(line);
  if (!Number.isFinite(number)) throw new Error(`“${line}” is no number.`);
  return number;
}

const Json = (props: Props): ReactElement => (
  <JsonField {...common(props)} value={props.value} onChange={props.onChange} />
);

const controls: Record<FieldKind, (props: Props) => ReactElement> = {
  text: Text,
  "long text": LongText,
  number: NumberField,
  choice: Choice,
  switch: Switch,
  list: List,
  group: Json,
  json: Json,
};
