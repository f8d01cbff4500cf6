package study

const smallTrace = `name: small
trace: {file: sp2-like, jobs: first:500, cleaning: reject, arrival_delay_factor: 0.5}
qos: {penalty: {low_mean: 0.02}}
`
