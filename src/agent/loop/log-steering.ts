import { attachFiles } from './attach-files.ts'
import type { Turn } from './turn-state.ts'

/** Logs what the user has said meanwhile as user messages; true if there was any. */
export async function logSteering({
  setup,
  id,
  steering,
  emit,
  signal,
}: Pick<Turn, 'setup' | 'id' | 'steering' | 'emit' | 'signal'>): Promise<boolean> {
  const words = steering.take()
  for (const text of words) {
    const prompt = await attachFiles(text, [], { setup, turn: id, emit, signal })
    setup.log.sayUser(id, prompt.text, prompt.attached)
    emit({ event: 'steered', text })
  }
  return words.length > 0
}
