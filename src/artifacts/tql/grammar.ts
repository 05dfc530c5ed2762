/**
 * The grammar of TQL, for peggy. Words of the language are not reserved, and no blank is needed around them: that is why
 * there is no lexer.
 */
export const GRAMMAR = String.raw`
{
  let depth = 0;
  const at = () => ({ line: location().start.line, column: location().start.column });
  const joined = (type, first, others) => (others.length === 0 ? first : { type, operands: [first, ...others] });
  const codeOf = (digits) => parseInt(digits, 16);
  const isCharacter = (code) => code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  const relation = (not, direction, linkType, end) => ({ type: 'relation', at: at(), not, direction, linkType, end });
}

query = @or end_of_text
end_of_text "the end" = !.

or = ws first:and others:(ws "or"i ws @and)* ws { return joined('or', first, others); }
and = first:term others:(ws "and"i ws @term)* { return joined('and', first, others); }
term = comparison / opened @or closed / relation

opened = "(" &{
  depth += 1;
  if (depth > options.levels) error('Parentheses are nested more than ' + options.levels + ' levels deep');
  return true;
}
closed = ")" &{ depth -= 1; return true; }

comparison = name:name ws test:test { return { type: 'comparison', at: at(), name, ...test }; }
test
  = operator:operator ws value:literal { return { operator, values: [value] }; }
  / "between"i ws "(" ws from:literal ws "," ws to:literal ws ")" { return { operator: 'BETWEEN', values: [from, to] }; }
  / operator:list ws "(" ws first:literal others:(ws "," ws @literal)* ws ("," ws)? ")" {
      return { operator, values: [first, ...others] };
    }
operator = "=" / "!=" / "<=" / ">=" / "<" / ">"
list = "in"i { return 'IN'; } / "not in"i { return 'NOT IN'; }

name "the name of a field" = $[A-Za-z0-9_-]+ / $("@" [A-Za-z0-9_.]+)

literal
  = text:string { return { type: 'text', at: at(), text }; }
  / number
  / now ws "(" ws ")" shift:(ws @shift)? { return { type: 'now', at: at(), shift }; }
  / "myself"i ws "(" ws ")" { return { type: 'myself', at: at() }; }
  / "open"i ws "(" ws ")" { return { type: 'open', at: at() }; }
now = "now"i
shift = sign:[+-] ws digits:digits unit:[dwmy]i {
  return { amount: Number(digits) * (sign === '-' ? -1 : 1), unit: unit.toLowerCase() };
}
number "a number" = text:$([0-9]+ ("." [0-9]+)?) { return { type: 'number', at: at(), text }; }
digits "digits" = $[0-9]+

string "a text in quotes"
  = '"' parts:(escaped / $[^"\\\n\r\f]+)* '"' { return parts.join(''); }
  / "'" parts:(escaped / $[^'\\\n\r\f]+)* "'" { return parts.join(''); }
escaped
  = "\\u" digits:$(hex hex|0..5|) [ \t]* &{ return isCharacter(codeOf(digits)); } { return String.fromCodePoint(codeOf(digits)); }
  / "\\" ("\r\n" / [\n\r\f]) { return ''; }
  / "\\" !("u" hex) sign:[^0-9a-f] { return sign; }
hex = [0-9a-fA-F]

relation
  = not:without ws direction:kin ws end:end? { return relation(not, direction, '_is_child', end); }
  / "is"i ws not:not "linked"i ws direction:direction ws end:end? linkType:(ws @linkType)? {
      return relation(not, direction, linkType, end);
    }
  / "is"i ws not:not "covered"i end:(ws "by"i ws @artifact)? { return relation(not, 'to', '_covered_by', end); }
  / "is"i ws not:not "covering"i ws end:artifact? { return relation(not, 'from', '_covered_by', end); }
without = "without"i { return true; } / "with"i { return false; }
kin = "parent"i { return 'from'; } / ("children"i / "child"i) { return 'to'; }
not = word:("not"i ws)? { return word !== null; }
direction = "from"i { return 'from'; } / "to"i { return 'to'; }
linkType = "with"i ws "type"i ws @string
end
  = artifact
  / "tracker"i ws operator:("=" / "!=") ws name:string { return { type: 'tracker', operator, name }; }
artifact = "artifact"i ws "=" ws digits:digits { return { type: 'artifact', id: Number(digits) }; }

ws "white space" = [ \t\n\r\u00a0]*
`;
