/** A plot as an SVG that any page shows. */
import { plot, type PlotOptions } from '@observablehq/plot';
import { parseHTML } from 'linkedom';

export function svgOf(options: PlotOptions): string {
  // Its type is that of a browser, which this project does not have.
  const { document } = parseHTML('<html></html>') as unknown as { readonly document: never };
  const svg = plot({ ...options, document });
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  // In place of a style, which not every page lets an image have.
  const background = '<rect width="100%" height="100%" fill="white" />';
  return `${svg.outerHTML.replace('</style>', `</style>${background}`)}\n`;
}
