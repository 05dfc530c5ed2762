/** Examples of the API description, from requests to the demo platform and their answers. */
import { type SchemaObject } from 'ajv';

interface AnswerExample {
  readonly body?: unknown;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface OperationExamples {
  /** Of paths, queries and headers, by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** By status. */
  readonly answers: Readonly<Record<number, AnswerExample>>;
}

/** By id of the operation. The errors that all routes share stand under `shared`. */
export type ApiExamples = Readonly<Record<string, OperationExamples>>;

export const NO_EXAMPLES: OperationExamples = { answers: {} };

export interface CompletedExamples extends OperationExamples {
  /** What answers of the operation have, or those of any. */
  readonly headers: Readonly<Record<string, string>>;
}

/** With what is the same for many operations. */
export function completed(examples: OperationExamples, shared: OperationExamples): CompletedExamples {
  const answers = [shared.answers[200], ...Object.values(examples.answers)];
  const headers: Record<string, string> = {};
  for (const answer of answers) Object.assign(headers, answer?.headers);
  const parameters = { ...shared.parameters, ...examples.parameters };
  return { ...examples, headers, parameters, answers: { ...errorsIn(shared), ...examples.answers } };
}

const errorsIn = ({ answers }: OperationExamples): OperationExamples['answers'] =>
  Object.fromEntries(Object.entries(answers).filter(([status]) => Number(status) >= 400));

export const contentOf = (schema: SchemaObject, example: unknown, mediaType = 'application/json'): object => ({
  [mediaType]: { schema, ...withExample(example) },
});

/** The text, or the number that the text stands for. */
export const typedText = (schema: SchemaObject, text: string): string | number =>
  schema['type'] === 'integer' ? Number(text) : text;

/** Of a parameter or a header. */
export const textExample = (schema: SchemaObject, text: string | undefined): object =>
  withExample(text === undefined ? undefined : typedText(schema, text));

export const withExample = (example: unknown): object => ({ ...(example !== undefined && { example }) });
