import { fstatSync, writeSync } from 'node:fs'

const STDOUT = 1

/** Where answers go. */
export interface Output {
  readonly isTerminal: boolean
  readonly columns: number | undefined
  readonly write: (text: string) => void
}

/** Stdout. While nobody has used its stream, waking that up takes longer than many a command. */
export function openOutput(isStreamAsleep: boolean): Output {
  if (isStreamAsleep && !fstatSync(STDOUT).isCharacterDevice()) return openDirectly()
  const { isTTY, columns } = process.stdout
  return { isTerminal: isTTY === true, columns, write: writeToStream }
}

/** A pipe or a file, without the stream; where a pipe is full and where an error has to be heard, that is asked all the same. */
function openDirectly(): Output {
  let isStreaming = false
  let isLost = false
  return {
    isTerminal: false,
    columns: undefined,
    write(text) {
      if (isLost) return
      if (isStreaming) return writeToStream(text)
      const bytes = Buffer.from(text)
      let written = 0
      try {
        while (written < bytes.length) written += writeSync(STDOUT, bytes, written)
      } catch (thrown) {
        const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
        if (code === 'EAGAIN') {
          isStreaming = true
          writeToStream(bytes.subarray(written))
          return
        }
        isLost = true
        if (code !== 'EPIPE') process.stdout.emit('error', thrown)
      }
    },
  }
}

function writeToStream(text: string | Uint8Array): void {
  process.stdout.write(text)
}
