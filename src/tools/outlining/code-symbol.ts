import { integer, object, string } from '../../schema/schema.ts'
import type { Infer } from '../../schema/schema.ts'

/** The schema of a symbol in a result. */
export const symbolSchema = object(
  {
    name: string('Its name'),
    kind: string('What it is, such as function or class'),
    line: integer('The line where it begins, from 1'),
    end_line: integer('The line where it ends'),
    depth: integer('How many other symbols it is in'),
  },
  'One symbol',
)

/** Something that a file defines. */
export type CodeSymbol = Infer<typeof symbolSchema>
