import { constants } from 'node:fs'

/** Windows knows only some of these; there the others are undefined, which counts as nothing here. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

/** Opening what turns out to be a pipe or a terminal neither waits nor takes it over. */
export const READ_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** Never opens what is there already. */
export const CREATE_FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
