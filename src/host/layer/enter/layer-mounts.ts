/** Everything that is mounted for one command, in this order. It travels between processes as JSON. */
export interface LayerMounts {
  readonly overlays: readonly OverlayMount[]
  /** What stands in for hidden names. */
  readonly stands: readonly StandMount[]
  /** What the layers have to show then. */
  readonly listed: readonly ListedLayer[]
  /** The digest of all their lines; see listing-check.ts. */
  readonly listing: string
  /** What shows as it is, outer ones first. */
  readonly holes: readonly HoleMount[]
}

/** A folder that shows at another place, with a layer over it. */
export interface OverlayMount {
  /** The folder in which the layer is; the other parts of it are relative to this one. */
  readonly folder: string
  /** What shows below the layer. */
  readonly from: string
  readonly at: string
  readonly work: string
  /** Shows between both; null for nothing. */
  readonly above: string | null
  readonly options: string
  /** The number of the listed layer that the folder below it is named in; null if it is not checked. */
  readonly listedAs: number | null
}

/** Both are absolute, as Latin-1. */
export interface StandMount {
  readonly from: string
  readonly to: string
}

/** A layer that is listed. */
export interface ListedLayer {
  readonly at: string
  /** Whether folders and links are told apart by their inodes. */
  readonly isIdentified: boolean
  /** Files with a stand-in, by their exact paths. */
  readonly hiddenFiles: readonly string[]
}

/** A folder or file that is mounted on a layer, if it is still this one. */
export interface HoleMount {
  readonly from: string
  /** Device and inode. */
  readonly identity: string
  /** Without links; where one has come meanwhile, nothing is mounted. */
  readonly at: string
  readonly isWritable: boolean
}

/** How a layer is mounted by someone who holds the folder below it open, in the folder of the layer. */
export function overlayOptions({ above, options, work }: OverlayMount, held: string, upper: string): string {
  return `${options},lowerdir=${above === null ? '' : `${above}:`}${held},upperdir=${upper},workdir=${work}`
}
