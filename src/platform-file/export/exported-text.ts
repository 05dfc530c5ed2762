import { Document, visit } from 'yaml';

/** In YAML. The service does without its library. */
export function exportedText(file: object): string {
  const document = new Document(file, { aliasDuplicateObjects: false });
  visit(document, {
    // The blocks of the library lose lines of nothing but spaces.
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && scalar.value.trim() === '') scalar.type = 'QUOTE_DOUBLE';
    },
  });
  // Over several lines, the library writes a backslash for a line of one space.
  return document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
}
