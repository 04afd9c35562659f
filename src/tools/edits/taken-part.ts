import { array, boolean, integer, object, optional, string } from '../../schema/schema.ts'

/** What a result has besides if a person took only some hunks of the change; the pipeline adds it. */
export const takenPart = {
  partial: optional(boolean('True if a person took only a part of the change')),
  left_out: optional(
    array(
      object(
        {
          path: string('Relative to the root'),
          hunks: array(integer('Counted from 1'), 'The hunks of the change that were not taken'),
        },
        'A file of which not everything was taken',
      ),
      'What was not taken',
    ),
  ),
}
