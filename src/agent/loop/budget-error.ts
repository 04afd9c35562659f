/** A budget that could not be kept: what is wrong with it, and what to do. */
export class BudgetError extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'BudgetError'
    this.hint = hint
  }
}
