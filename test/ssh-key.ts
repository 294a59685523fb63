import ssh2 from 'ssh2';

interface SshKey {
  /** In OpenSSH format. */
  readonly private: string;
  /** One line, as in `authorized_keys`. */
  readonly public: string;
}

/** One in 256 keys that ssh2 creates begins with a zero, and ssh2 cannot read such a key (mscdex/ssh2#1513). */
export function createSshKey(passphrase?: string): SshKey {
  const sealed = passphrase === undefined ? undefined : { passphrase, cipher: 'aes256-cbc', rounds: 1 };
  for (;;) {
    const made = ssh2.utils.generateKeyPairSync('ed25519', sealed);
    const read = [made.public, made.private].map((text) => ssh2.utils.parseKey(text, passphrase));
    if (!read.some((key) => key instanceof Error)) return made;
  }
}
