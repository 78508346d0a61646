/** Texts too large or too precious for a record, kept under the SHA-256 of their bytes. */
export interface Blobs {
  /** Keep a text; it is on the disk when the promise resolves. The same content again gets the same name. */
  readonly put: (content: string | Uint8Array) => Promise<string>;
  readonly get: (hex: string) => Promise<BlobRead>;
}

export type BlobRead =
  | { readonly kind: "found"; readonly bytes: Uint8Array }
  | { readonly kind: "absent" }
  /** There is a file of that name, but its bytes are not the ones that were put. */
  | { readonly kind: "damaged"; readonly message: string };
