import { type ReactElement, useId } from "react";
import { Control } from "./control.tsx";
import { changeField, kindOf, resolve, type Schema } from "./schema.ts";
import styles from "./form.module.css";

type Value = Record<string, unknown>;
type FormProps = {
  schema: Schema;
  value: Value;
  onChange: (value: Value) => void;
  /** What is wrong, by the place in the value: `customer.name`. */
  issues?: Record<string, string>;
};

/** A form that a JSON schema describes. What a form can't show is edited as JSON, each place for itself. */
export const SchemaForm = ({ schema, value, onChange, issues = {} }: FormProps): ReactElement => (
  <div className={styles.form}>
    <Group schema={resolve(schema, schema)} root={schema} value={value} onChange={onChange} place="" issues={issues} />
  </div>
);

type Placed = { root: Schema; place: string; issues: Record<string, string> };
type GroupProps = Placed & { schema: Schema; value: Value; onChange: (value: Value) => void };

const Group = ({ schema, root, value, onChange, place, issues }: GroupProps): ReactElement => (
  <>
    {Object.entries(schema.properties ?? {}).map(([name, property]) => (
      <Field
        key={name}
        name={name}
        schema={resolve(property, root)}
        root={root}
        isRequired={schema.required?.includes(name) ?? false}
        value={value[name]}
        place={place === "" ? name : `${place}.${name}`}
        issues={issues}
        onChange={(next) => onChange(changeField({ schema, root, value }, name, next))}
      />
    ))}
  </>
);

type FieldProps = Placed & {
  name: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
};

/** Returns true for a group that may be left out, and shows no text and no tick. */
const isLeftOut = ({ default: usual, required = [] }: Schema, group: Value): boolean =>
  usual == null &&
  Object.entries(group).every(([name, one]) => one === "" || (one === false && required.includes(name)));

function Field({ name, schema, isRequired, ...props }: FieldProps): ReactElement {
  const id = useId();
  const title = schema.title ?? name;
  const kind = kindOf(schema, props.root);
  const issue = props.issues[props.place];
  if (kind === "group")
    return (
      <fieldset className={styles.group}>
        <legend>{title}</legend>
        <Group
          {...props}
          schema={schema}
          value={(props.value as Value | undefined) ?? {}}
          onChange={(next) => props.onChange(!isRequired && isLeftOut(schema, next) ? undefined : next)}
        />
      </fieldset>
    );
  return (
    <div className={styles.field} data-kind={kind}>
      <label htmlFor={id}>
        {title}
        {!isRequired && <span className={styles.optional}> optional</span>}
      </label>
      <Control
        id={id}
        kind={kind}
        schema={schema}
        isRequired={isRequired}
        value={props.value}
        onChange={props.onChange}
        isWrong={issue !== undefined}
        describedBy={[schema.description && `${id}-about`, issue && `${id}-issue`].filter(Boolean).join(" ")}
      />
      {schema.description && (
        <p id={`${id}-about`} className={styles.about}>
          {schema.description}
        </p>
      )}
      {issue && (
        <p id={`${id}-issue`} role="alert" className="bad">
          {issue}
        </p>
      )}
    </div>
  );
}
