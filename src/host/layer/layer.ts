/** The folder of a part that holds what commands wrote. */
export const UPPER = 'upper'
/** The folder of a part that holds what a landing replaced or removed. */
export const OLD = 'old'
