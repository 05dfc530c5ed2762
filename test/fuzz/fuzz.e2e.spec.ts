import { expect } from 'chai';
import { leaveOut } from '../support/left-out.js';
import { pythonProgram } from '../support/python.js';
import { fuzz } from './fuzz.js';

const SECONDS = 30;
const TITLE = 'requests that Schemathesis makes from the description of the API';
const program = pythonProgram('schemathesis');

if (program === undefined) leaveOut(TITLE, 'schemathesis is not installed');
else {
  describe(TITLE, function () {
    this.timeout((SECONDS + 60) * 1000);

    // With a seed of its own, so that it finds the same in each run; `npm run fuzz` draws one.
    it('are answered as described, and none of them by a defect', async () => {
      const { code, requests, errors } = await fuzz(program, { seconds: SECONDS, seed: '20261125' });
      expect(errors).to.deep.equal([]);
      expect(requests, 'none were made').to.be.above(100);
      expect(code, 'Schemathesis prints what it has found').to.equal(0);
    });
  });
}
