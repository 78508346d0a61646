import type { Own } from "../core/values/signers.ts";

/** Signatures of people, made and checked by OpenSSH. */
export interface Signatures {
  /** Whether one of these keys signed this text, for releases, under this name, and counts at this moment. */
  readonly verify: (signed: Signed) => Promise<Verified>;
  /** Sign a text; the person may be asked for a passphrase or a touch at the terminal. */
  readonly sign: (text: string, key: string) => Promise<Signature>;
  /** The keys that this user has: public keys by the file they are in. */
  readonly keys: () => Promise<readonly OwnKey[]>;
  /** How OpenSSH names a public key, such as SHA256:abc. */
  readonly fingerprint: (key: string) => string;
  /** Make a key among this user's, at the terminal. */
  readonly make: (name: string, options: { readonly hardware: boolean }) => Promise<Made>;
}

export interface Signed {
  readonly text: string;
  readonly signature: string;
  readonly by: string;
  /** Texts of `allowed_signers` and of the file with revoked keys. */
  readonly signers: string;
  readonly revoked: string;
  readonly at: string;
}

export type Verified =
  | {
      readonly kind: "good";
      readonly key: string;
      readonly hardware: boolean;
      /** Under which names the key counts, as its lines have them. */
      readonly names: readonly string[];
    }
  | Problem;

export type Signature = { readonly kind: "signed"; readonly signature: string } | Problem;

export type Made = { readonly kind: "made"; readonly key: OwnKey } | Problem;

export interface Problem {
  readonly kind: "problem";
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

export interface OwnKey extends Own {
  /** The file of the private key, or of the public one where an agent or a device has the other. */
  readonly file: string;
  readonly type: string;
  readonly comment: string;
  /** Whoever can read the file can sign with it. */
  readonly open: boolean;
}
