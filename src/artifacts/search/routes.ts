import { type Viewer } from '../../authorization/viewer.js';
import { type Route } from '../../http/route.js';
import { type ArtifactPorts } from '../ports.js';
import { reportArtifactsRoute } from './report-artifacts-route.js';
import { searchedPages } from './searched-pages.js';
import { trackerArtifactsRoute } from './tracker-artifacts-route.js';

export function searchRoutes(ports: ArtifactPorts): readonly Route<Viewer>[] {
  const pages = searchedPages(ports);
  return [trackerArtifactsRoute(ports, pages), reportArtifactsRoute(ports, pages)];
}
