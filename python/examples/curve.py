"""A line chart as SVG, without any library."""


def draw(path, values, level, title, name):
    """Draw values by round, and a level to compare them with."""
    low, high, step = min(*values, level), max(*values, level), 540 / max(1, len(values) - 1)

    def y(v):
        return 270 - 210 * (v - low) / ((high - low) or 1)

    parts = [f'<text x="80" y="30">{title}</text><text x="350" y="305">round, 0 to {len(values) - 1}</text>']
    for v in low, (low + high) / 2, high:
        parts.append(f'<path d="M80 {y(v)}H620" stroke="#ddd"/><text x="30" y="{y(v) + 4}">{v:.2f}</text>')
    parts.append(f'<path d="M80 {y(level)}H620" stroke="#666" stroke-dasharray="6 4"/>')
    parts.append(f'<text x="580" y="{y(level) - 6}" fill="#666">{name}</text>')
    line = " ".join(f"{80 + step * i:.1f},{y(v):.1f}" for i, v in enumerate(values))
    parts.append(f'<polyline points="{line}" fill="none" stroke="#0072b2" stroke-width="2"/>')
    with open(path, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320" font-family="sans-serif">\n')
        file.write('<rect width="640" height="320" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")
