import { expect } from 'chai';
import { BASE, CLUSTER, project, textOf, type Project } from './compose-files.js';
import { isEventStoreDb, isMongoDb } from './compose-rules.js';
import { itFindsWhatIsSpoilt, itKeepsRules, type Spoilt } from './rules-over-projects.js';
import { proxied, TOPOLOGY_RULES } from './topology-rules.js';

type RuleName = keyof typeof TOPOLOGY_RULES;

const one = project(BASE);
const cluster = project(BASE, CLUSTER);

/** For each rule, what it has to find fault with, and in what words. */
const BAD: Spoilt<RuleName> = {
  replicas: [
    [({ services }) => (services.api.deploy.replicas = 1), /^api is not there twice$/],
    [({ services }) => delete services.projections.deploy.replicas, /^projections is not there twice$/],
  ],
  replicaSet: [
    [
      ({ services }) => (services.mongodb.command[1] = '--replSet=rs0'),
      /^mongodb is no member of the replica set ledger$/,
    ],
    [({ services }) => delete services.mongodb.command, /^mongodb is no member/],
    [({ services }) => delete services['mongodb-setup'], /^nobody makes the replica set$/],
    [({ services }) => services['mongodb-setup'].volumes.shift(), /^nobody makes the replica set$/],
    [({ services }) => services['mongodb-setup'].entrypoint.pop(), /^nobody makes the replica set$/],
  ],
  proxied: [
    [({ services }) => services.proxy.volumes.shift(), /^proxy has another configuration$/],
    [({ services }) => delete services.api, /^proxy leads to api, which is not the API$/],
    [({ services }) => (services.api.environment.ROLE = 'worker'), /^proxy leads to api, which is not the API$/],
    [
      ({ services }) => (services.api.environment.PORT = '80'),
      /^proxy leads to port 8080 of api, which listens on 80$/,
    ],
    [({ services }) => (services.api.networks = ['back']), /^proxy has no network in common with api$/],
    [({ services }) => (services.api.deploy.replicas = 17), /^proxy finds 16 of api$/],
    [({ services }) => (services.proxy.ports = ['443:9443']), /^proxy does not listen on 9443$/],
  ],
};

describe('the servers of the compose files', () => {
  itKeepsRules(TOPOLOGY_RULES, { one, cluster });

  const sizes = ({ services }: Project) => ({
    nodes: Object.values(services)
      .filter(isEventStoreDb)
      .map(({ environment }) => environment?.['EVENTSTORE_CLUSTER_SIZE']),
    members: Object.values(services).filter(isMongoDb).length,
    inTheSet: services['mongodb-setup']?.environment?.['MONGODB_HOSTS']?.split(',').length,
  });

  it('are one node and one member in the one file', () => {
    expect(sizes(one)).to.deep.equal({ nodes: ['1'], members: 1, inTheSet: 1 });
  });

  it('are three nodes and three members with the other', () => {
    expect(sizes(cluster)).to.deep.equal({ nodes: ['3', '3', '3'], members: 3, inTheSet: 3 });
  });

  it('become a replica set by the script', () => {
    expect(textOf('deploy/replica-set.mongodb')).to.match(/replSetInitiate: \{ _id: SET, members: /);
  });
});

describe('the checks of the servers', () => {
  itFindsWhatIsSpoilt(TOPOLOGY_RULES, BAD, one);

  it('can fail: the configuration of the proxy', () => {
    const faultsOf = (before: string, after: string) => {
      const text = textOf('deploy/haproxy.cfg');
      expect(text).to.include(before);
      return proxied(text.replace(before, after))(one).join('; ');
    };
    expect(faultsOf('16 api:8080', '16 projections:8080')).to.match(/leads to projections, which is not the API/);
    expect(faultsOf('16 api:8080', '16 api:80')).to.match(/leads to port 80 of api/);
    expect(faultsOf('16 api:8080', '1 api:8080')).to.equal('proxy finds 1 of api');
    expect(faultsOf('bind :8443', 'bind :443')).to.equal('proxy does not listen on 8443');
    expect(faultsOf('server-template api', 'server api')).to.match(/leads to , which is not the API/);
  });
});
