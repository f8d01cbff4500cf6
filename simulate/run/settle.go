package run

import "context"

// Settle runs rows beside another one on the same jobs, each until a question about it is settled or it has as many
// replications as are allowed. It looks after first replications, 2 first, 4 first, ... as Until does. Known cases cost
// nothing. A row that fails is settled.
func (l *Lab) Settle(ctx context.Context, than Case, rows []Case, first, most int,
	settled func(f *Frame, row Case) bool) (*Frame, error) {
	list, err := l.want(ctx, append([]Case{than}, rows...), 0, 0)
	if err != nil {
		return nil, err
	}
	var groups []*watched
	for _, w := range list[1:] {
		groups = append(groups, &watched{list: []wanted{list[0], w}})
	}
	if groups == nil {
		groups = []*watched{{list: list}}
	}
	failed := &failures{}
	_, err = l.look(ctx, groups, first, most, failed, func(p *watched, f *Frame) bool {
		row := p.list[len(p.list)-1].it
		return f.N(row) == 0 || settled(f, row)
	})
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return l.collectAll(groups, failed, 0), err
}
