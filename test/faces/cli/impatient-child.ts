import { closeSync, constants, openSync } from 'node:fs'
import { sanitise } from '../../../src/core/text/display/sanitise.ts'
import { openOutput } from '../../../src/faces/cli/terminal.ts'

/** Writes much to a pipe that refuses to wait for its reader, which a child of Node cannot be handed as its stdout. */
const [, , pipe = '', length = '0'] = process.argv
closeSync(1)
openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
const { write } = openOutput(true)
write(sanitise('x'.repeat(Number(length))))
write(sanitise('y'))
