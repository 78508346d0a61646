/** Storage for texts that are too large for a record or must not be lost, by the SHA-256 of their bytes. */
export interface Blobs {
  /** Stores a text durably. The same content always gets the same name. */
  readonly put: (content: string | Uint8Array) => Promise<string>;
  readonly get: (hex: string) => Promise<BlobRead>;
}

export type BlobRead =
  | { readonly kind: "found"; readonly bytes: Uint8Array }
  | { readonly kind: "absent" }
  /** There is a file with that name, but its bytes have changed. */
  | { readonly kind: "damaged"; readonly message: string };
