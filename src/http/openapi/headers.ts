import { textExample, type CompletedExamples } from './examples.js';
import { type AnswerHeaders } from './response-schema.js';

/** Described headers of an answer, with what an example of the answer has. */
export const headersOf = (described: AnswerHeaders, status: number, { answers, headers }: CompletedExamples): object =>
  Object.fromEntries(
    Object.entries(described).map(([name, header]) => {
      const key = name.toLowerCase();
      return [name, { ...header, ...textExample(header.schema, answers[status]?.headers[key] ?? headers[key]) }];
    }),
  );
