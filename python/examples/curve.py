"""A learning curve as SVG, without any library."""
from math import ceil, floor, log10


def draw(path, curve, levels, title, axis, scale=1.0):
    """Draw values by round as a line, and levels (name: value) to compare them with as dashed lines."""
    low, high = min(*curve, *levels.values()), max(*curve, *levels.values())
    power = 10 ** floor(log10((high - low) or 1))
    tick = next(t * power for t in (0.2, 0.5, 1, 2) if (high - low) / (t * power) <= 7)
    low, high = floor(low / tick + 1e-9) * tick, ceil(high / tick - 1e-9) * tick
    step = 470 / max(1, len(curve) - 1)
    colors = ["#555555", "#009e73", "#d55e00", "#cc79a7", "#000000"]

    def y(v):
        return 290 - 230 * (v - low) / ((high - low) or 1)

    parts = [f'<text x="60" y="28" font-size="15">{title}</text><text x="60" y="48" fill="#555">{axis}</text>']
    for i in range(round((high - low) / tick) + 1):
        v = low + tick * i
        parts.append(f'<path d="M60 {y(v):.1f}H530" stroke="#e5e5e5"/>'
                     f'<text x="54" y="{y(v) + 4:.1f}" text-anchor="end">{scale * v:.3g}</text>')
    for i in sorted({0, len(curve) // 4, len(curve) // 2, 3 * len(curve) // 4, len(curve) - 1}):
        parts.append(f'<text x="{60 + step * i:.1f}" y="310" text-anchor="middle">{i}</text>')
    parts.append('<text x="295" y="332" text-anchor="middle">round of training</text>')
    names, last = [("agent", curve[-1], "#0072b2")], 999.0
    for (name, value), color in zip(levels.items(), colors):
        line = f'stroke="{color}" stroke-width="1.5" stroke-dasharray="6 4"'
        parts.append(f'<path d="M60 {y(value):.1f}H530" {line}/>')
        names.append((name, value, color))
    for name, value, color in sorted(names, key=lambda item: item[1]):
        last = min(y(value) + 4, last - 15)  # names do not overlap
        parts.append(f'<text x="536" y="{last:.1f}" fill="{color}">{name} {scale * value:.3g}</text>')
    points = " ".join(f"{60 + step * i:.1f},{y(v):.1f}" for i, v in enumerate(curve))
    parts.append(f'<polyline points="{points}" fill="none" stroke="#0072b2" stroke-width="2.5"/>')
    with open(path, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="660" height="345" font-family="sans-serif" '
                   'font-size="12">\n<rect width="660" height="345" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")
