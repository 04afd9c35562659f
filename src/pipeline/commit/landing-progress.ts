/** Is told how many files are in place. */
export type OnProgress = (done: number, total: number) => void

/** Fewer files are in place before anyone could read how many. */
const WORTH_TELLING = 500
/** How often progress is told, at most. */
const TIMES = 100

/** Tells about every hundredth of many files, and about the last. */
export function tellNowAndThen(tell: OnProgress): OnProgress {
  return (done, total) => {
    if (total < WORTH_TELLING) return
    if (done === total || done % Math.ceil(total / TIMES) === 0) tell(done, total)
  }
}
