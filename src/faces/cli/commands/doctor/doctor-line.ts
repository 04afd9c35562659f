/** One line of the doctor. */
export interface DoctorLine {
  readonly name: string
  readonly value: string | number | boolean | readonly string[] | null
  readonly isFine: boolean
  readonly hint?: string
}
