// An OpenID provider on a free loopback port, with its own pages for signing in and out. It prints its issuer, reads the
// address of its client from the first line that it is sent, and prints "ready".
import { createServer } from 'node:http';
import { createInterface } from 'node:readline/promises';
import Provider from 'oidc-provider';

const GROUPS = { ann: ['staff', 'docs-admins'], bob: ['strangers'] };
const server = createServer();
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;
console.log(issuer);
const { value: base } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'docent',
      client_secret: 'a secret of thirty-two characters',
      redirect_uris: [`${base}/console/sign-in/provider/answer`],
      post_logout_redirect_uris: [`${base}/console/sign-in`],
    },
  ],
  claims: { email: ['email', 'email_verified'], profile: ['groups'] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, groups: GROUPS[id] ?? [] }),
  }),
  // Nobody is asked whether Docent may know their address.
  async loadExistingGrant({ oidc }) {
    const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});
server.on('request', provider.callback());
console.log('ready');
