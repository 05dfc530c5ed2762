/** One @ with something on both sides, and no white space: what JSON schemas and parsers take for an email address. */
export const EMAIL_ADDRESS = '^[^\\s@]+@[^\\s@]+$';
