/**
 * A device in software: a key of the type `sk-ssh-ed25519@openssh.com`, and signatures as one makes them, with or without
 * a touch. OpenSSH cannot tell it from a device, and so checks these signatures as it does in earnest.
 */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { NAMESPACE } from "../../src/core/decide/decisions/statement.ts";

export interface Authenticator {
  /** The type and the public key, as `allowed_signers` has them. */
  readonly key: string;
  readonly signs: (text: string, options?: { readonly touched?: boolean }) => string;
}

const TYPE = "sk-ssh-ed25519@openssh.com";
const APPLICATION = "ssh:";

export function authenticator(): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const point = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const key = Buffer.concat([framed(TYPE), framed(point), framed(APPLICATION)]);
  return {
    key: `${TYPE} ${key.toString("base64")}`,
    signs: (text, { touched = true } = {}) => {
      const digest = createHash("sha512").update(text).digest();
      const fields = [framed(NAMESPACE), framed(""), framed("sha512")];
      const message = Buffer.concat([Buffer.from("SSHSIG"), ...fields, framed(digest)]);
      const state = Buffer.from([touched ? 1 : 0, 0, 0, 0, 7]);
      const own = Buffer.concat([sha256(APPLICATION), state, sha256(message)]);
      const signature = Buffer.concat([framed(TYPE), framed(sign(null, own, privateKey)), state]);
      const head = Buffer.from("SSHSIG\0\0\0\u0001", "latin1");
      const whole = Buffer.concat([head, framed(key), ...fields, framed(signature)]);
      const lines = whole.toString("base64").replaceAll(/.{70}/g, "$&\n");
      return `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`;
    },
  };
}

function framed(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function sha256(value: string | Buffer): Buffer {
  return createHash("sha256").update(value).digest();
}
