/** Carries what a caller threw out of a transaction, so that it is not taken for a fault of the database. */
export class CallerThrew extends Error {
  readonly thrown: unknown

  constructor(thrown: unknown) {
    super('the caller did not confirm')
    this.thrown = thrown
  }
}
