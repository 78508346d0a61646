/** Texts too large or too precious for a record, kept under the SHA-256 of their bytes. */
export interface Blobs {
  /** Durable when it answers. The same content again is the same name and no second file. */
  readonly put: (content: string | Uint8Array) => Promise<string>;
  readonly get: (hex: string) => Promise<BlobRead>;
}

export type BlobRead =
  | { readonly kind: "found"; readonly bytes: Uint8Array }
  | { readonly kind: "absent" }
  /** There is a file of that name, but its bytes are not the ones that were put. */
  | { readonly kind: "damaged"; readonly message: string };
