import { integer, object, string } from '../../../src/schema/schema.ts'
import { defineTool } from '../../../src/tools/define/define-tool.ts'

/** What a booking is taken back with. */
export interface Booked {
  readonly seat: string
  readonly booking: number
}

/** A tool that books seats somewhere else, and can give them back. */
export function bookingTool(cancel: (booked: Booked) => void | Promise<void>, seconds = 30) {
  let last = 0
  return defineTool({
    name: 'book',
    version: '1.0.0',
    description: 'Book a seat',
    effect: 'external',
    limits: { maxExecutionTimeMs: seconds * 1000 },
    input: object({ seat: string('Which') }, 'A wish'),
    output: object({ booking: integer('Its number') }, 'A booking'),
    summary: ({ seat }) => `book ${seat}`,
    run: () => ({ booking: (last += 1) }),
    compensate: ({ seat }, { booking }) => cancel({ seat, booking }),
  })
}
