import { pageQuery, type PageQuery } from '../../http/pages/pagination.js';

export const HISTORY_MAX = 1000;

export interface HistoryQuery extends PageQuery {
  readonly order: 'asc' | 'desc';
}

export const historyQuery = pageQuery(50, HISTORY_MAX, { order: { enum: ['asc', 'desc'], default: 'asc' } });
