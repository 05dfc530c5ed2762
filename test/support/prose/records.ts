/** The form of decision records: a title, a status with a date, four headings, a bound on the length. */
const HEADINGS = ['Context', 'Decision', 'Consequences', 'Rejected'];
const TITLE = /^# (\d+)\. \S/;
const STATUS = /^Status: (?:accepted|superseded by \[\d+\]\([^)]+\)), \d{4}-\d{2}-\d{2}\b/m;
/** Of the file. */
const NUMBER = /\d{4}(?=-[^/]*$)/;
const MOST_LINES = 40;

/** One line for each fault: the file, then what is allowed. */
export function faultsOfRecord(file: string, text: string): readonly string[] {
  const lines = text.trimEnd().split('\n');
  const headings = lines.filter((line) => line.startsWith('## ')).map((line) => line.slice('## '.length));
  const rules: readonly (readonly [boolean, string])[] = [
    [numberIn(lines[0]) === NUMBER.exec(file)?.[0], 'the title must be "# <number of the file>. <choice>"'],
    [STATUS.test(text), 'the status must be "Status: accepted, <date>" or "Status: superseded by <link>, <date>"'],
    [headings.join() === HEADINGS.join(), `the headings must be ${HEADINGS.join(', ')}`],
    [lines.length <= MOST_LINES, `${lines.length} lines, at most ${MOST_LINES}`],
  ];
  return rules.flatMap(([holds, rule]) => (holds ? [] : [`${file}: ${rule}\n`]));
}

const numberIn = (title = ''): string | undefined => TITLE.exec(title)?.[1]?.padStart(4, '0');
