import { readSource } from './read-source.ts'

/** Puts a call of `globalThis.enterRoom(room)` at the start of every function. */
export function instrument(file: string, text: string): string {
  const enter = `globalThis.enterRoom(${JSON.stringify(roomOf(file))})`
  const inserts = readSource(file, text).functions.flatMap(({ body: { start, end, isBlock } }) =>
    isBlock
      ? [{ at: start + 1, insert: `${enter};` }]
      : [
          { at: start, insert: `(${enter},` },
          { at: end, insert: ')' },
        ],
  )
  return inserts
    .toSorted((one, other) => other.at - one.at)
    .reduce((whole, { at, insert }) => whole.slice(0, at) + insert + whole.slice(at), text)
}

/** How often the room changes in a sequence of rooms entered. */
export function countChanges(rooms: readonly string[]): number {
  return rooms.filter((room, index) => index > 0 && room !== rooms[index - 1]).length
}

/** `src/core/call.ts` lies in `core`, and files beside the rooms in `src`. */
function roomOf(file: string): string {
  const [, room = '', ...rest] = file.split('/')
  return rest.length === 0 ? 'src' : room
}
