import { expect } from 'chai';
import { networkOf } from '../../../src/http/client/ip-address.js';

describe('the network of a client', () => {
  const networks: Readonly<Record<string, string>> = {
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    '::FFFF:c000:201': '192.0.2.1',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0DB8:0001:0002::': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '::1': '0:0:0:0::/64',
    '::': '0:0:0:0::/64',
    '::2:3:4:5:6:7:8': '0:2:3:4::/64',
    '1:2:3:4:5:6:7::': '1:2:3:4::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '64:ff9b::192.0.2.1': '64:ff9b:0:0::/64',
    nonsense: 'nonsense',
  };
  for (const [address, network] of Object.entries(networks)) {
    it(`of ${address} is ${network}`, () => {
      expect(networkOf(address)).to.equal(network);
    });
  }
});
