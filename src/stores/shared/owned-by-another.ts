/** What was made from another log: positions of one log mean nothing in another. */
export class OwnedByAnother extends Error {
  override readonly name = 'OwnedByAnother';
}
