/** What the person who migrates has to see to. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
