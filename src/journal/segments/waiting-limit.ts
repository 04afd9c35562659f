/** So many times as many rows may wait while other processes write: what they do meanwhile need not be waited for. */
const PATIENCE = 4

/** After so many rows more it is tried again whether they are done. */
const TRY_AGAIN_ROWS = 128

/** Says whether so many rows that wait have to be taken up now, if usually so many may wait at most. */
export type WaitingLimit = (waiting: number, most: number) => boolean

/** Creates it; `isFree` says whether they could be taken up without waiting for another process. */
export function createWaitingLimit(isFree: () => boolean): WaitingLimit {
  let tryAtRows = 0
  return (waiting, most) => {
    if (waiting < most) {
      tryAtRows = 0
      return false
    }
    if (waiting < tryAtRows) return false
    tryAtRows = waiting + TRY_AGAIN_ROWS
    return waiting >= PATIENCE * most || isFree()
  }
}
